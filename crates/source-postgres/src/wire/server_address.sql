SELECT host(inet_server_addr()), inet_server_port()
