# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes into the folder SHARE, by the compiler PBC: manual pages, and the files for bash, zsh and fish where these look for them.
file(MAKE_DIRECTORY ${SHARE}/man/man1)
execute_process(COMMAND ${PBC} man --folder=${SHARE}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
set(shells bash zsh fish)
set(files bash-completion/completions/pbc zsh/site-functions/_pbc fish/vendor_completions.d/pbc.fish)
foreach(shell file IN ZIP_LISTS shells files)
  get_filename_component(folder ${SHARE}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${PBC} completion ${shell} OUTPUT_FILE ${SHARE}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
