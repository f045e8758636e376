/** The entity id of an actor: `<workspace id>/<id of its row>`. */
import { WorkspaceId } from "../schema/Ids.ts"

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
