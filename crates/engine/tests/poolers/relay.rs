//! A way to a port of this machine that leads elsewhere from one moment to the next, as an address
//! does whose name is given to another machine.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinHandle, spawn_local};

pub(crate) struct Relay {
    pub(crate) port: u16,
    target: Rc<Cell<u16>>,
    open: Rc<RefCell<Vec<AbortHandle>>>,
    accepting: JoinHandle<()>,
}

impl Relay {
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let (target, open) = (Rc::new(Cell::new(port)), Rc::<RefCell<Vec<AbortHandle>>>::default());
        let (shared_target, shared_open) = (Rc::clone(&target), Rc::clone(&open));
        let accepting = spawn_local(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let port = shared_target.get();
                let forwarding = spawn_local(async move {
                    if let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await {
                        drop(copy_bidirectional(&mut client, &mut server).await);
                    }
                });
                shared_open.borrow_mut().push(forwarding.abort_handle());
            }
        });
        Self { port: own, target, open, accepting }
    }

    /// Leads to another port, and breaks off what leads to the one before.
    pub(crate) fn lead_to(&self, port: u16) {
        self.target.set(port);
        self.open.borrow_mut().drain(..).for_each(|forwarding| forwarding.abort());
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.lead_to(0);
        self.accepting.abort();
    }
}
