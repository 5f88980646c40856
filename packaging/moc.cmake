# moc alone reads every header that ours include, Qt's and the standard library's too: nine tenths of
# its time, for macros that no class of ours needs. It finds none when it is not told where they are.
get_target_property(NW_MOC Qt6::moc IMPORTED_LOCATION)
configure_file(packaging/moc.in ${CMAKE_BINARY_DIR}/moc @ONLY)

# nw_moc(TARGET): classes of Qt in the target's files get what moc makes of them.
function(nw_moc target)
  # Our moc input needs nothing that the other libraries generate.
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTOGEN_ORIGIN_DEPENDS OFF
                        AUTOMOC_COMPILER_PREDEFINES OFF
                        AUTOMOC_EXECUTABLE ${CMAKE_BINARY_DIR}/moc)
endfunction()
