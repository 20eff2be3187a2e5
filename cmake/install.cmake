# What `cmake --install` leaves: libraries, headers, program, pkg-config, CMake package, man page,
# shell completion. CMake users link carom::carom or carom::io (shared), or carom::carom_static,
# carom::io_static.
include(CMakePackageConfigHelpers)

set_target_properties(carom_shared PROPERTIES EXPORT_NAME carom)
set_target_properties(carom_io_shared PROPERTIES EXPORT_NAME io)
set_target_properties(carom_io_static PROPERTIES EXPORT_NAME io_static)

install(TARGETS carom_static carom_shared carom_io_static carom_io_shared EXPORT carom-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS carom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET carom-mpi)
  install(TARGETS carom-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)
install(FILES docs/carom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/carom.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)

# Shell completion comes from the program's own tables.
set(completions ${PROJECT_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${completions})
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${completions}/${shell} COMMAND carom completion ${shell} > ${completions}/${shell}
                     DEPENDS carom VERBATIM)
endforeach()
add_custom_target(completion ALL DEPENDS ${completions}/bash ${completions}/zsh ${completions}/fish)
install(FILES ${completions}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME carom)
install(FILES ${completions}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _carom)
install(FILES ${completions}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME carom.fish)

# A static library needs what it was built with; a user of the package finds it by plain names.
set_target_properties(carom_static PROPERTIES INTERFACE_LINK_LIBRARIES
  "\$<INSTALL_INTERFACE:${CORE_PLAIN}>\$<BUILD_INTERFACE:${CORE_BUILT}>")
list(TRANSFORM CORE_PLAIN PREPEND -l OUTPUT_VARIABLE CORE_FLAGS)
list(JOIN CORE_FLAGS " " CORE_FLAGS)
set_target_properties(carom_io_static PROPERTIES INTERFACE_LINK_LIBRARIES
  "carom_static;\$<INSTALL_INTERFACE:yaml;hdf5_serial;m>\$<BUILD_INTERFACE:PkgConfig::YAML;PkgConfig::HDF5;m>")

# The way up from the folder of the .pc files, so that an installed tree may be moved as a whole.
file(RELATIVE_PATH CAROM_WAY_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" CAROM_WAY_UP "${CAROM_WAY_UP}")
foreach(package carom carom-io)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(EXPORT carom-targets NAMESPACE carom:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
file(WRITE ${PROJECT_BINARY_DIR}/carom-config.cmake
     "include(\${CMAKE_CURRENT_LIST_DIR}/carom-targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/carom-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/carom-config.cmake
              ${PROJECT_BINARY_DIR}/carom-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
