"""The pages of a ladder, made when somebody asks for one."""
