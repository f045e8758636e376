/** The answers that many operations share. */
import { Schema } from "effect"
import { optional, textLike } from "../../Fields.ts"

/** A list that fits one answer. `next` is null, so that clients follow every list in the same way. */
export const all = <A, I>(item: Schema.Schema<A, I>) => Schema.Struct({ data: Schema.Array(item), next: Schema.Null })

/** A page of a longer list; `next` asks for the page that follows, and is null at the end. */
export const paged = <A, I, N, J>(item: Schema.Schema<A, I>, next: Schema.Schema<N, J>) =>
  Schema.Struct({ data: Schema.Array(item), next: Schema.NullOr(next) })

/** A record as its creation answers it. */
export const created = <Fields extends Schema.Struct.Fields>(record: Schema.Struct<Fields>, identifier: string) =>
  Schema.Struct({
    ...record.fields,
    warnings: optional(
      Schema.Array(textLike("Checkout API (mon_01k9x2m4q8e7s9v3bthn5wza6c) already watches the same target or job")),
      "What it repeats, with the id of the other one; absent if nothing"
    )
  }).annotations({ identifier })

export const deleted = <A extends string>(id: Schema.Schema<A, string>) => Schema.Struct({ id, deleted: Schema.Literal(true) })
