/* version.h - the version of the program, as reports, databases of sweeps and --version show it. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* MAJOR.MINOR.PATCH; the Makefile, packages and the library take it from here. */
#define CYCLOTRON_VERSION "0.1.0"

#endif
