/**
 * The deliveries that this process has taken and of whose attempts the results are not stored yet. It starts none of them a second
 * time, also if a lease has expired meanwhile because the process stood still or the database was slow.
 */
export interface KnownDeliveries<Delivery> {
  /** False if the process knows it already. */
  readonly take: (delivery: Delivery) => boolean
  readonly forget: (delivery: Delivery) => void
}

export const makeKnownDeliveries = <Delivery>(keyOf: (delivery: Delivery) => string): KnownDeliveries<Delivery> => {
  // Keys alone: old tables of a set stay in memory for a while, with what they hold.
  const known = new Set<string>()
  return {
    take: (delivery) => {
      const size = known.size
      return known.add(keyOf(delivery)).size > size
    },
    forget: (delivery) => void known.delete(keyOf(delivery))
  }
}
