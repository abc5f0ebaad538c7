//! Data-set loaders and imports of released outputs.
