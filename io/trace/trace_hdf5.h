/* Traces in HDF5: the reader beside the writer. */
#ifndef CAROM_SRC_SCENE_TRACE_HDF5_H
#define CAROM_SRC_SCENE_TRACE_HDF5_H

#include "trace/trace.h"

carom_status carom_trace_hdf5_read(const char *path, carom_trace *trace, carom_error *error);

#endif
