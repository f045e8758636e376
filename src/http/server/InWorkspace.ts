/** Calls of use cases in the name of the caller, and the shapes of their answers. */
import { Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Access, Person } from "../../../schema/api/Access.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"

export const asCaller = <A, E, R>(use: (caller: Caller) => Effect.Effect<A, E, R>) => Effect.flatMap(Access, use)

export const inWorkspace = <A, E, R>(use: (workspaceId: WorkspaceId) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Access, ({ workspaceId }) => use(workspaceId))

/** In the name of the signed-in person. */
export const asPerson = <A, E, R>(use: (person: PersonIdentity) => Effect.Effect<A, E, R>) => Effect.flatMap(Person, use)

/** A list without further pages. */
export const all = <A, E, R>(listing: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.map(listing, (data) => ({ data, next: null }))

/** The answer to the deletion of something. */
export const gone = <Id>(id: Id) => ({ id, deleted: true as const })

export const deleted = <Id, E, R>(id: Id, removing: Effect.Effect<unknown, E, R>) => Effect.as(removing, gone(id))
