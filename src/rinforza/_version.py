"""The version of rinforza, read by the build and by the package."""

__version__ = "0.1.0"
