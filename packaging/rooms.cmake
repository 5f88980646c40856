# Rooms: how the product is cut into libraries, and which of them may include which.

# nw_compile_quickly(TARGET): for code that waits for people, for files, or for what it calls. With
# less inlined the window compiles in two thirds of the time; what computes is not compiled so.
function(nw_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:SHELL:-mllvm -inline-threshold=25>")
  endif()
endfunction()

# nw_room(NAME [QT] [COMPILE_QUICKLY] [FOLDERS folder...] [UNITY_BATCH n] [DEPENDS room...]
#         [PRIVATE library...])
# makes the static library nw_NAME of the calling folder's files. It may include the rooms that it
# DEPENDS on, and what these may include; nw_check_rooms() holds it to that. FOLDERS are parts of the
# room in folders of their own. QT is for rooms of the window, COMPILE_QUICKLY for others that wait
# for what they call. UNITY_BATCH is how many files are compiled at once: many in core, since what
# files share is compiled once for all of them; fewer in the window, where touching a view should take
# no longer than ten seconds. A room without files of its own stands for those that it names.
function(nw_room name)
  cmake_parse_arguments(ARG "QT;COMPILE_QUICKLY" "UNITY_BATCH" "FOLDERS;DEPENDS;PRIVATE" ${ARGN})
  set(globs *.cpp *.h)
  foreach(folder IN LISTS ARG_FOLDERS)
    list(APPEND globs ${folder}/*.cpp ${folder}/*.h)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${globs})
  list(TRANSFORM ARG_DEPENDS PREPEND nw_ OUTPUT_VARIABLE rooms)
  nw_register_room(nw_${name} DEPENDS ${rooms} FOLDERS ${ARG_FOLDERS})
  if(NOT sources)
    add_library(nw_${name} INTERFACE)
    target_link_libraries(nw_${name} INTERFACE ${rooms})
    return()
  endif()
  add_library(nw_${name} STATIC ${sources})
  target_include_directories(nw_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(nw_${name} PUBLIC ${rooms} PRIVATE ${ARG_PRIVATE})
  if(NOT DEFINED ARG_UNITY_BATCH AND ARG_QT)
    set(ARG_UNITY_BATCH 20)
  elseif(NOT DEFINED ARG_UNITY_BATCH)
    set(ARG_UNITY_BATCH 30)
  endif()
  set_target_properties(nw_${name} PROPERTIES UNITY_BUILD ${NESTWRIGHT_UNITY}
                        UNITY_BUILD_BATCH_SIZE ${ARG_UNITY_BATCH})

  # The first room at the ground makes the precompiled header of all others; in the window that is the
  # document, whose headers all views read.
  if(ARG_QT)
    set(ground nw_ui_document)
    nw_moc(nw_${name})
    # Headers of core and of LLVM use the names that Qt would make keywords.
    target_compile_definitions(nw_${name} PUBLIC QT_NO_KEYWORDS QCUSTOMPLOT_USE_LIBRARY)
  else()
    set(ground nw_support)
  endif()
  if(ARG_QT OR ARG_COMPILE_QUICKLY)
    nw_compile_quickly(nw_${name})
  endif()
  if(NOT name MATCHES "^ui_(kit|document)$" AND NOT ground STREQUAL nw_${name})
    target_precompile_headers(nw_${name} REUSE_FROM ${ground})
  endif()
endfunction()

# Of a target in the calling folder that is no room, such as a program or a plugin: which rooms it may
# include (DEPENDS, as targets).
function(nw_register_room target)
  cmake_parse_arguments(ARG "" "" "FOLDERS;DEPENDS" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY NW_ROOMS ${target})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR}
             OUTPUT_VARIABLE home)
  set(folders ${home})
  foreach(folder IN LISTS ARG_FOLDERS)
    list(APPEND folders ${home}/${folder})
  endforeach()
  set_property(GLOBAL PROPERTY NW_DEPENDS_${target} ${ARG_DEPENDS})
  set_property(GLOBAL PROPERTY NW_FOLDERS_${target} ${folders})
endfunction()

# The room and what it depends on, however far below.
function(nw_reachable_rooms target result)
  set(reached ${target})
  set(waiting ${target})
  while(waiting)
    list(POP_FRONT waiting room)
    get_property(below GLOBAL PROPERTY NW_DEPENDS_${room})
    list(REMOVE_ITEM below ${reached})
    list(APPEND reached ${below})
    list(APPEND waiting ${below})
  endwhile()
  set(${result} ${reached} PARENT_SCOPE)
endfunction()

# Fails when a file includes a room that its own room does not name. To be called last.
function(nw_check_rooms)
  get_property(rooms GLOBAL PROPERTY NW_ROOMS)
  set(wrong "")
  foreach(room IN LISTS rooms)
    nw_reachable_rooms(${room} reachable)
    set(allowed "")
    foreach(other IN LISTS reachable)
      get_property(folders GLOBAL PROPERTY NW_FOLDERS_${other})
      list(APPEND allowed ${folders})
    endforeach()
    list(JOIN allowed "|" allowed)
    get_target_property(home ${room} SOURCE_DIR)
    get_target_property(sources ${room} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.(cpp|h)$")
    foreach(path IN LISTS sources)
      cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY ${home})
      file(STRINGS ${path} includes REGEX "^#include \"(core|ui|plugins|app)/")
      list(FILTER includes EXCLUDE REGEX "^#include \"(${allowed})/[^/]+\"")
      foreach(line IN LISTS includes)
        cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE file)
        string(APPEND wrong "\n  ${file}: ${line}")
      endforeach()
    endforeach()
  endforeach()
  if(wrong)
    message(FATAL_ERROR "Included without being named in the room's CMakeLists.txt:${wrong}")
  endif()
endfunction()
