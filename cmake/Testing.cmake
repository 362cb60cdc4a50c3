# SPDX-License-Identifier: Apache-2.0
# attribution_test(NAME SRCS file... LIBS target... [LABELS label...])
# One GoogleTest program per folder. LABELS default to `unit`; `threads` marks programs whose tests
# also run under ThreadSanitizer.
if(ATTRIBUTION_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
endif()

# All test programs of a label.
foreach(label unit threads integration)
  add_custom_target(${label}_tests)
endforeach()

function(attribution_test name)
  if(NOT ATTRIBUTION_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SRCS;LIBS;LABELS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name} ${arg_SRCS})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  foreach(label IN LISTS arg_LABELS)
    add_dependencies(${label}_tests ${name})
  endforeach()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
endfunction()
