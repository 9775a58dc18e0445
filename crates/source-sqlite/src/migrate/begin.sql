-- Only one program migrates at a time; the others wait.
BEGIN IMMEDIATE
