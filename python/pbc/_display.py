# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Texts and pages that notebooks show as such."""
import html


class Text(str):
    """A text: itself when printed, preformatted in a notebook."""

    def _repr_html_(self):
        return f"<pre>{html.escape(self)}</pre>"

    def __repr__(self):
        return str(self)


class Page:
    """A page of HTML, in a notebook in a frame of its own."""

    def __init__(self, text):
        self.html = text

    def _repr_html_(self):
        return f'<iframe srcdoc="{html.escape(self.html, quote=True)}" style="width:100%;height:40em;border:0"></iframe>'

    def __repr__(self):
        return f"<a page of {len(self.html)} characters; .html has it>"
