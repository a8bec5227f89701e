# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A Debian package of what `cmake --install` installs:
#
#   cpack --config build/release/CPackConfig.cmake        pbc_0.1_amd64.deb in the current folder
#
# Clang, LLVM and lld are in pbc itself. Programs are linked with the C library, libpng and zlib of the machine, so that
# their headers or start files are needed, and what the linker finds libraries by.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pbc)
set(CPACK_PACKAGE_CONTACT "The pbc developers <pbc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler for programs of algorithmic choices, with its tuner")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6-dev, libpng-dev, zlib1g-dev, libgcc-12-dev | libgcc-dev, libstdc++-12-dev | libstdc++-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas0, libfftw3-double3")
include(CPack)
