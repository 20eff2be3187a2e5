# What `cmake --install` leaves: libraries, headers, program, pkg-config, CMake package, man page,
# shell completion.
include(CMakePackageConfigHelpers)

install(TARGETS carom_static carom_shared EXPORT carom-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS carom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)
install(FILES docs/carom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME carom)

# The static library needs what it was built with; a user of the package finds it the same way.
set_target_properties(carom_static PROPERTIES INTERFACE_LINK_LIBRARIES
  "\$<INSTALL_INTERFACE:yaml;hdf5_serial;lapacke;openblas;sundials_cvode;sundials_nvecserial;sundials_sunmatrixdense;sundials_sunlinsoldense;pthread;m>\$<BUILD_INTERFACE:PkgConfig::YAML;PkgConfig::HDF5;PkgConfig::LAPACKE;SUNDIALS::cvode;SUNDIALS::nvecserial;SUNDIALS::sunmatrixdense;SUNDIALS::sunlinsoldense;Threads::Threads;m>")

configure_file(cmake/carom.pc.in ${PROJECT_BINARY_DIR}/carom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT carom-targets NAMESPACE carom:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
file(WRITE ${PROJECT_BINARY_DIR}/carom-config.cmake
     "include(\${CMAKE_CURRENT_LIST_DIR}/carom-targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/carom-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/carom-config.cmake
              ${PROJECT_BINARY_DIR}/carom-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
