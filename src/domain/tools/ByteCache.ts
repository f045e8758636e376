/** A cache that is bounded in entries and bytes, of all owners and of each. The least recently used entries go first. */

interface ByteCacheLimits {
  readonly entries: number
  readonly bytes: number
  /** Bytes of one owner: an owner that needs more loses its own entries, not those of others. */
  readonly bytesPerOwner: number
}

interface Entry<A> {
  readonly owner: string
  readonly bytes: number
  value: A
}

interface Account {
  /** In order of last use. */
  readonly keys: Set<string>
  bytes: number
}

/** An entry that is larger than a limit is kept until the next one. */
export const makeByteCache = <A>(limits: ByteCacheLimits) => {
  /** In order of last use. */
  const entries = new Map<string, Entry<A>>()
  const accounts = new Map<string, Account>()
  let held = 0

  const drop = (key: string): void => {
    const entry = entries.get(key)
    const account = entry === undefined ? undefined : accounts.get(entry.owner)
    if (entry === undefined || account === undefined) return
    entries.delete(key)
    account.keys.delete(key)
    account.bytes -= entry.bytes
    held -= entry.bytes
    if (account.keys.size === 0) accounts.delete(entry.owner)
  }

  const dropFirst = (keys: Iterable<string>): void => {
    for (const key of keys) return drop(key)
  }

  const keep = (key: string, owner: string, value: A, bytes: number): void => {
    drop(key)
    const account = accounts.get(owner) ?? { keys: new Set<string>(), bytes: 0 }
    accounts.set(owner, account)
    entries.set(key, { owner, bytes, value })
    account.keys.add(key)
    account.bytes += bytes
    held += bytes
    while (account.bytes > limits.bytesPerOwner && account.keys.size > 1) dropFirst(account.keys)
    while ((held > limits.bytes || entries.size > limits.entries) && entries.size > 1) dropFirst(entries.keys())
  }

  return {
    keep,
    drop,
    use: (key: string): A | undefined => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      const keys = accounts.get(entry.owner)?.keys
      keys?.delete(key)
      keys?.add(key)
      return entry.value
    },
    /** Changes values, which neither uses them nor changes their bytes. */
    change: (change: (value: A, key: string) => A): void => {
      for (const [key, entry] of entries) entry.value = change(entry.value, key)
    },
    bytes: (): number => held,
    size: (): number => entries.size
  }
}
