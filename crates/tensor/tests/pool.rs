//! What a pool reuses, what it refuses, and that its books balance.

use whimbrel_tensor::pool::{Pool, PoolConfig, PoolError, PoolStats};
use whimbrel_tensor::{DType, Tensor};

fn pool(limit_bytes: usize, keep_bytes: usize) -> Pool {
    Pool::new(PoolConfig { limit_bytes, keep_bytes })
}

#[test]
fn pool_reuses_buffers_of_odd_sizes() {
    let pool = Pool::new(PoolConfig::server());
    for len in [1_000_003, 1_000_033, 999_999, 990_001, 1_020_077] {
        drop(pool.take(len).unwrap());
    }
    let PoolStats { hits, misses, .. } = pool.stats();
    assert_eq!((hits, misses), (4, 1));
}

#[test]
fn buffers_come_back_with_their_last_handle() {
    let pool = pool(1 << 20, 1 << 20);
    let buffer = pool.take(1000).unwrap();
    let at = buffer.bytes().as_ptr();
    let tensor = Tensor::from_buffer(buffer.clone(), DType::F32, [250]).unwrap();
    drop(buffer);
    assert_eq!(pool.stats().bytes_in_use, 1024);
    assert_eq!(pool.stats().bytes_cached, 0);
    drop(tensor);
    assert_eq!(pool.stats().bytes_in_use, 0);
    assert_eq!(pool.stats().bytes_cached, 1024);
    let again = pool.take(1001).unwrap();
    assert_eq!(again.bytes().as_ptr(), at);
    assert_eq!(again.len(), 1001);
}

#[test]
fn zeroed_buffers_are_zero_after_reuse() {
    let pool = pool(1 << 20, 1 << 20);
    pool.take(700).unwrap().bytes_mut().unwrap().fill(9);
    assert!(pool.take(690).unwrap().bytes().iter().all(|&byte| byte == 9));
    assert!(pool.take_zeroed(690).unwrap().bytes().iter().all(|&byte| byte == 0));
    assert_eq!(pool.stats().hits, 2);
}

#[test]
fn the_limit_is_respected_and_kept_memory_makes_room() {
    let pool = pool(4096, 4096);
    let two = [pool.take(1024).unwrap(), pool.take(2048).unwrap()];
    let error = pool.take(2048).unwrap_err();
    assert_eq!(error, PoolError::LimitReached { asked: 2048, in_use: 3072, limit: 4096 });
    assert_eq!(error.to_string(), "2048 bytes asked of a pool with 3072 of 4096 bytes in use");
    drop(two);
    assert_eq!(pool.stats().bytes_cached, 3072);
    let whole = pool.take(4096).unwrap();
    assert_eq!((pool.stats().bytes_in_use, pool.stats().bytes_cached), (4096, 0));
    drop(whole);
    assert!(pool.take(4097).is_err());
    assert!(matches!(pool.take(usize::MAX), Err(PoolError::OutOfMemory(_))));
    assert_eq!(pool.stats().bytes_in_use, 0);
}

#[test]
fn what_was_given_back_first_is_freed_first() {
    let pool = pool(1 << 20, 3072);
    let (first, second, third) =
        (pool.take(2048).unwrap(), pool.take(1024).unwrap(), pool.take(512).unwrap());
    drop(first);
    drop(second);
    drop(third);
    assert_eq!(pool.stats().bytes_cached, 1536);
    drop([pool.take(1024).unwrap(), pool.take(512).unwrap()]);
    assert_eq!(pool.stats().hits, 2);
    drop(pool.take(4096).unwrap());
    assert_eq!(pool.stats().bytes_cached, 1536, "too large to keep");
    pool.clear();
    assert_eq!(pool.stats().bytes_cached, 0);
}

#[test]
fn fragmentation_is_the_share_nobody_asked_for() {
    let pool = pool(1 << 20, 1 << 20);
    assert_eq!(pool.stats().fragmentation(), 0.0);
    let _odd = pool.take(960).unwrap();
    let _even = pool.take(1024).unwrap();
    assert_eq!(pool.stats().bytes_requested, 1984);
    assert_eq!(pool.stats().fragmentation(), 0.0);
    let _wasteful = pool.take(1025).unwrap();
    assert_eq!(pool.stats().fragmentation(), 1.0 - 3009.0 / 3136.0);
}

#[test]
fn buffers_outlive_their_pool() {
    let pool = pool(1 << 20, 1 << 20);
    let mut buffer = pool.take_zeroed(100).unwrap();
    drop(pool);
    buffer.bytes_mut().unwrap()[99] = 1;
    assert_eq!(buffer.bytes()[99], 1);
}

#[test]
fn empty_buffers_cost_nothing() {
    let pool = pool(0, 0);
    let empty = pool.take(0).unwrap();
    assert!(empty.is_empty());
    drop(empty);
    assert_eq!(pool.stats().bytes_in_use + pool.stats().bytes_cached, 0);
    assert!(pool.take(1).is_err());
}

#[test]
fn many_threads_never_share_a_buffer_and_the_books_balance() {
    const THREADS: u64 = 8;
    const ROUNDS: u64 = 2000;
    let limit = 1 << 20;
    let pool = pool(limit, 1 << 16);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let pool = pool.clone();
            scope.spawn(move || {
                let mut held = std::collections::VecDeque::new();
                for round in 0..ROUNDS {
                    let len = 1 + (round * 7919 + thread * 104_729) % 5000;
                    let mark = (thread * 31 + round) as u8;
                    let mut buffer = pool.take(len as usize).unwrap();
                    buffer.bytes_mut().unwrap().fill(mark);
                    held.push_back((mark, buffer));
                    if held.len() > 5 {
                        let (mark, buffer) = held.pop_front().unwrap();
                        assert!(buffer.bytes().iter().all(|&byte| byte == mark));
                    }
                    let stats = pool.stats();
                    assert!(stats.bytes_in_use + stats.bytes_cached <= limit);
                    assert!(stats.bytes_cached <= 1 << 16);
                }
            });
        }
    });
    let stats = pool.stats();
    assert_eq!((stats.bytes_in_use, stats.bytes_requested), (0, 0));
    assert_eq!(stats.hits + stats.misses, THREADS * ROUNDS);
    assert!(stats.hits > stats.misses, "{stats:?}");
}
