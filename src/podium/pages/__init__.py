"""A ladder as a website: what each page shows, how it looks, and how it is written to a folder or served."""
