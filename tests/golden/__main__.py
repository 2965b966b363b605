"""Write the texts anew."""

from .playthrough import rewrite

rewrite()
