//! PostgreSQL through pgpool-II.

use std::time::Duration;

use engine::{Engine, PoolLimits, SourceAddress};
use testkit::postgres::{Clustering, Pgpool};
use testkit::random::Random;

use super::changes::Changes;
use super::{compare, options};
use crate::shop::{Shop, block_on};

/// A shop behind pgpool-II, if that is on this machine.
fn start(clustering: Clustering) -> Option<(Shop, Pgpool)> {
    let shop = Shop::on_one()?;
    let start = || Pgpool::start(&[shop.database().0.port()], clustering, 12).unwrap();
    let pooler = Pgpool::is_installed().then(start)?;
    Some((shop, pooler))
}

#[test]
fn requests_and_changes_through_pgpool_have_the_answers_that_they_have_without() {
    let Some((shop, pooler)) = start(Clustering::StreamingReplication) else { return };
    Changes::prepare(&shop);
    let url = pooler.url(shop.database().1);
    block_on(async {
        // Everything is long: what could be shared would be asked again elsewhere.
        let most = PoolLimits { patience: Duration::ZERO, ..PoolLimits::sharing(4, 2) };
        let both = [
            shop.answering(&url, most).await,
            shop.answering(&url, PoolLimits::sharing(4, 2)).await,
        ];
        let left = compare(&shop, &both, 20, "pgpool-II").await;
        assert!(left > 50, "{left}");
        let mut changes = Changes::default();
        changes.run(&both, 20, &mut Random::new(5)).await;
        assert_eq!(changes.codes, [""; 0]);
        changes.check(&shop).await;
    });
}

#[test]
fn a_mode_in_which_changes_stay_in_a_transaction_is_refused_with_the_remedy() {
    let Some((shop, pooler)) = start(Clustering::Raw) else { return };
    let address = SourceAddress::Postgres(pooler.url(shop.database().1));
    block_on(async {
        let error = Engine::open(&address, &options()).await.unwrap_err().to_string();
        let remedy = "backend_clustering_mode = 'streaming_replication'";
        assert!(error.contains(remedy), "{error}");
    });
}
