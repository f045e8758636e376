/** The answers that many operations share. */
import { Schema } from "effect"

/** A list that fits one answer. `next` is null, so that clients follow every list in the same way. */
export const all = <A, I>(item: Schema.Schema<A, I>) => Schema.Struct({ data: Schema.Array(item), next: Schema.Null })

/** A page of a longer list; `next` asks for the page that follows, and is null at the end. */
export const paged = <A, I, N, J>(item: Schema.Schema<A, I>, next: Schema.Schema<N, J>) =>
  Schema.Struct({ data: Schema.Array(item), next: Schema.NullOr(next) })

export const deleted = <A extends string>(id: Schema.Schema<A, string>) => Schema.Struct({ id, deleted: Schema.Literal(true) })
