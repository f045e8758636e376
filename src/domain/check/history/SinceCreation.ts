/** From when on a monitor can have checks. */
import { DateTime } from "effect"

/** A probe's clock may be behind. Reads with this bound leave the partitions of older days alone. */
export const sinceCreation = ({ createdAt }: { readonly createdAt: DateTime.Utc }): DateTime.Utc =>
  DateTime.subtract(createdAt, { days: 1 })
