SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)
