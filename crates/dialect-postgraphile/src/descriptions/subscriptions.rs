//! Descriptions of subscriptions.

/// Of a subscription type with live queries.
pub(crate) const LIVE: &str = "The root subscription type: contains events and live queries you can \
     subscribe to with the `subscription` operation.\n\n\
     #### Live Queries\n\n\
     Live query fields are differentiated by containing `(live)` at the end of their\n\
     description, they are added for each field in the `Query` type. When you\n\
     subscribe to a live query field, the selection set will be evaluated and sent to\n\
     the client, and then most things\\* that would cause the output of the selection\n\
     set to change will trigger the selection set to be re-evaluated and the results\n\
     to be re-sent to the client.\n\n\
     _(\\* Not everything: typically only changes to persisted data referenced by the query \
     are detected, not computed fields.)_\n\n\
     Live queries can be very expensive, so try and keep them small and focussed.\n\n\
     #### Events\n\n\
     Event fields will run their selection set when, and only when, the specified\n\
     server-side event occurs. This makes them a lot more efficient than Live\n\
     Queries, but it is still recommended that you keep payloads fairly small.";

/// The end of the descriptions of live queries.
pub(crate) const LIVE_END: &str = " (live)";

/// Of a subscription type without live queries.
pub(crate) const EVENTS: &str = "The root subscription type: contains realtime events you can \
     subscribe to with the `subscription` operation.";
pub(crate) const INITIAL_EVENT: &str =
    "If true, this subscription will trigger an event as soon as it initiates.";
pub(crate) const PAYLOAD_QUERY: &str = "Our root query field type. Allows us to run any query from \
     our subscription payload.";
