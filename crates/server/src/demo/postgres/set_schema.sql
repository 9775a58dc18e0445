SET LOCAL search_path TO public;
