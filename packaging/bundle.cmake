# The bundle: a folder of the programs that a GPU elsewhere needs, with the libraries that they need
# (handbook/cuda.md 11). `packaging/dev bundle` makes it with `cmake --install build/release --component
# bundle --prefix FOLDER`.

# nw_bundle(FOLDER TARGET...): these go into that folder of the bundle.
function(nw_bundle folder)
  foreach(target IN LISTS ARGN)
    set_property(GLOBAL APPEND PROPERTY NW_BUNDLED ${folder}:${target})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
    # The older kind of entry also holds for what the libraries themselves need.
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
endfunction()

# To be called last. glibc stays the machine's own: it belongs to its loader.
function(nw_install_bundle)
  get_property(bundled GLOBAL PROPERTY NW_BUNDLED)
  foreach(entry IN LISTS bundled)
    string(REPLACE ":" ";" entry ${entry})
    list(GET entry 0 folder)
    list(GET entry 1 target)
    install(TARGETS ${target} RUNTIME_DEPENDENCY_SET bundle COMPONENT bundle
            RUNTIME DESTINATION ${folder} LIBRARY DESTINATION ${folder})
  endforeach()
  install(RUNTIME_DEPENDENCY_SET bundle
          PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util)\\.so"
          LIBRARY DESTINATION lib COMPONENT bundle)
  install(PROGRAMS packaging/gpu DESTINATION . COMPONENT bundle)
  install(FILES LICENSE tests/bench/peer_torch.py DESTINATION . COMPONENT bundle)
endfunction()
