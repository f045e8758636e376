/** The partition of a monitor's assignment, which is that of kafkajs for its key. */
import murmur2 from "kafkajs/src/producer/partitioners/default/murmur2.js"
import type { MonitorId } from "../../schema/Ids.ts"

/** The partition of a monitor's assignment. */
export const placeOf = (id: MonitorId, partitions: number): number => (murmur2(id) & 0x7fffffff) % partitions

/** The partitions that must hold nothing of a monitor: its place by an earlier number, or any partition if it is gone. */
export const emptyPlaces = (
  id: MonitorId,
  isGone: boolean,
  partitions: number,
  formerly: number | null
): ReadonlyArray<number> => {
  const place = placeOf(id, partitions)
  const others = isGone ? Array.from({ length: partitions }, (_, n) => n) : formerly === null ? [] : [placeOf(id, formerly)]
  return others.filter((other) => other !== place && other < partitions)
}
