-- What has been read already could not be changed where another has changed it since.
BEGIN IMMEDIATE
