"""mpl_toolkits: the parts of matplotlib that it brings along."""

from . import matplotlib

hash_other = matplotlib.hash_other
