# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes manual pages into the folder MAN, and COMPLETIONS, the files for bash, zsh and fish, with the compiler PBC.
file(MAKE_DIRECTORY ${MAN})
execute_process(COMMAND ${PBC} man --folder=${MAN} COMMAND_ERROR_IS_FATAL ANY)
set(shells bash zsh fish)
foreach(shell file IN ZIP_LISTS shells COMPLETIONS)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${PBC} completion ${shell} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
