#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tuning's page and `pbc explain ./prog`, as a user gets them: a sample is tuned, its page is loaded in a real browser.

  report.py PBC SAMPLES        exit status 77: no browser is installed; everything else was checked
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
SKIPPED = 77

# Runs in the page: what it looks like, for those who cannot see it.
PROBE = """<script>
addEventListener("load", () => {
  const drawings = [...document.querySelectorAll("svg")].map(svg => {
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
    const clashes = [], outside = [];
    texts.forEach(([words, a], i) => {
      if (a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 1 || a.bottom > box.bottom + 1)
        outside.push(words);
      for (const [others, b] of texts.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 3) clashes.push(words + " | " + others);
      }
    });
    return {width: box.width, height: box.height, texts: texts.length, clashes, outside,
            title: svg.querySelector("title")?.textContent ?? ""};
  });
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = JSON.stringify({drawings, overflow: document.documentElement.scrollWidth - innerWidth,
    headless: [...document.querySelectorAll("table")].filter(t => !t.querySelector("thead th[scope=col]")).length,
    background: getComputedStyle(document.body).backgroundColor, resources: performance.getEntriesByType("resource").length});
  document.body.append(result);
});
</script>"""


def fail(text):
    sys.exit(f"report.py: {text}")


def run(command, status=0, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, **more)
    if done.returncode != status:
        fail(f"{' '.join(command)}: status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    return done


def expect(condition, text):
    if not condition:
        fail(text)


def check_terminal(pbc, program):
    everything = run([pbc, "explain", program])
    expect("values from" in everything.stdout and "Sort" in everything.stdout, everything.stdout)
    one = run([pbc, "explain", program, "Sort"]).stdout
    for word in ("alternatives MergeSort", "winner", "runner-up", "by size", "journal"):
        expect(word in one, f"explain Sort does not say '{word}':\n{one}")
    data = json.loads(run([pbc, "explain", "--json", program]).stdout)
    expect(any(d["name"] == "Sort" and d["sizes"] for d in data["decisions"]), data)
    unknown = run([pbc, "explain", program, "Srot"], status=1).stderr
    expect("did you mean 'Sort'?" in unknown and "it has Sort, " in unknown, unknown)
    bare = shutil.copy(program, program + "_bare")
    missing = run([pbc, "explain", bare])
    expect(f"pbc tune {bare} measures" in missing.stderr and "MergeSort always" in missing.stdout, missing)
    expect("there is no journal" in run([pbc, "report", bare], status=1).stderr, "report without a journal")
    expect("not a program made by pbc" in run([pbc, "explain", "/bin/true"], status=1).stderr, "/bin/true")


def check_page(text):
    expect(len(text) < 500_000, f"the page has {len(text)} bytes")
    loads = re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)|url\(|@import|<script|<link(?! rel="icon" href="data:)""", text)
    expect(not loads, f"the page loads something: {loads}")
    for section in ("The resulting algorithm", "Winner, runner-up", "How the search went", "What mattered", "Quarantined", "Provenance"):
        expect(section in text, f"the page has no section '{section}'")


def look(browser, page, folder, width, dark, drawings=3): # and one for each choice that depends on the size
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=3000",
               f"--user-data-dir={folder}/profile", f"--window-size={width},2000"]
    if dark:
        command.append("--blink-settings=preferredColorScheme=0")
    done = run(command + ["--dump-dom", "file://" + page])
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    expect(not console, f"the browser says: {console}")
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    expect(found, f"the page was not loaded:\n{done.stderr}")
    seen = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    expect(len(seen["drawings"]) >= drawings, seen)
    for drawing in seen["drawings"]:
        where = f"'{drawing['title']}', window of {width}: {drawing}"
        expect(drawing["title"] and drawing["texts"], f"a drawing says nothing: {where}")
        expect(drawing["width"] > 200 and drawing["height"] > 20, f"a drawing has no size: {where}")
        expect(not drawing["clashes"], f"texts lie on each other: {where}")
        expect(not drawing["outside"], f"texts leave their drawing: {where}")
    expect(seen["overflow"] <= 0, f"the page is {seen['overflow']} wider than a window of {width}")
    expect(seen["headless"] == 0, "a table has no headers")
    expect(seen["resources"] == 0, "the page loaded something")
    return seen["background"]


def with_probe(folder, page):
    with open(folder + "/probed.html", "w", encoding="utf-8") as file:
        file.write(page.replace("</body>", PROBE + "</body>"))
    return file.name


def main():
    pbc, samples = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "sort")
        run([pbc, os.path.join(samples, "sort.pbcc"), "-o", program])
        tuned = run([pbc, "tune", program, "--n=4000", "--budget=5"]).stdout
        page = program + ".tune.html"
        expect(f"report        {page}" in tuned, tuned)
        check_terminal(pbc, program)
        text = open(page, encoding="utf-8").read()
        check_page(text)
        run([pbc, "report", program, "--output=" + folder + "/again.html"])
        expect(open(folder + "/again.html", encoding="utf-8").read().count("<svg") == text.count("<svg"), "pbc report says something else than pbc tune")
        run([pbc, "tune", program, "--n=4000", "--budget=1", "--report=none", "--output=" + folder + "/o.cfg"])
        expect(not os.path.exists(folder + "/o.tune.html"), "--report=none writes a page")
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if not browser:
            print(f"skipped: none of {', '.join(BROWSERS)} is installed (scripts/install-packages --browser)")
            return SKIPPED
        probed = with_probe(folder, text)
        light = look(browser, probed, folder, 1100, dark=False)
        look(browser, probed, folder, 480, dark=False)
        expect(look(browser, probed, folder, 1100, dark=True) != light, "dark is as light")
        run([pbc, "tune", program, "--n=4000", "--budget=4", "--pareto=time,memory"])
        front = open(program + ".front.html", encoding="utf-8").read()
        expect("<script" not in front and "url(" not in front, "the front's page loads something")
        for width in (1100, 480):
            look(browser, with_probe(folder, front), folder, width, dark=False, drawings=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
