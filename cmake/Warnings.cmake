# SPDX-License-Identifier: Apache-2.0
# Warnings are errors in our own code; system headers are exempt because they come in by -isystem.
add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
                    -Wunused -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough -Werror
                    # Fields left out of a designated initializer have their defaults: that is the point.
                    -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives for these two in std::string and std::optional at -O2.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-null-dereference)
endif()
