/** The entity ids of actors, `<workspace id>/<id of the row>`, and their answer to an alarm. */
import { Cause, Effect, Schema } from "effect"
import { WorkspaceId } from "../schema/Ids.ts"
import { isLockNotAvailable } from "../src/store/postgres/PostgresErrors.ts"

export interface EntityKey<Id> {
  readonly workspaceId: WorkspaceId
  readonly id: Id
}

export const entityIdOf = (workspaceId: WorkspaceId, id: string): string => `${workspaceId}/${id}`

/** Writes and reads the entity ids of actors whose rows have this kind of id. */
export const entityIds = <Id extends string>(ids: { readonly make: (id: string) => Id }) => ({
  entityId: (workspaceId: WorkspaceId, id: Id): string => entityIdOf(workspaceId, id),
  entityKey: (entityId: string): EntityKey<Id> => {
    const slash = entityId.indexOf("/")
    return { workspaceId: WorkspaceId.make(entityId.slice(0, slash)), id: ids.make(entityId.slice(slash + 1)) }
  }
})

/** An actor's answer to its alarm: nothing, or that another transaction locked its rows for too long. */
export const WakeAnswer = Schema.Union(Schema.Literal("locked"), Schema.Void)

/** Answers for a wake that has rolled back because it waited for a lock for too long; other failures are defects. */
export const answering = <A, E, R>(wake: Effect.Effect<A, E, R>): Effect.Effect<"locked" | void, never, R> =>
  Effect.matchCauseEffect(wake, {
    onFailure: (cause) => {
      const error = Cause.squash(cause)
      return isLockNotAvailable(error) ? Effect.succeed("locked" as const) : Effect.die(error)
    },
    onSuccess: () => Effect.void
  })
