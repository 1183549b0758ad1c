"""The version, in a file that can be read without the library."""

VERSION = "0.1.0"
