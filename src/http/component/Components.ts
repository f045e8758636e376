/** Serves components. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ChangeComponent } from "../../operations/component/ChangeComponent.ts"
import { ManageComponents } from "../../operations/component/ManageComponents.ts"
import { OverrideComponent } from "../../operations/component/OverrideComponent.ts"
import { PushPageStatus } from "../../operations/component/PushPageStatus.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const ComponentsLive = operationGroup(Api, "Components", (handlers) =>
  Effect.gen(function*() {
    const components = yield* ManageComponents
    const change = yield* ChangeComponent
    const { override } = yield* OverrideComponent
    const { push } = yield* PushPageStatus
    return handlers
      .handle("create_component", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) => components.create(workspaceId, path.pageId, payload)))
      .handle("update_component", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          change.update(workspaceId, path.id, payload)))
      .handle("delete_component", ({ path: { id } }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          change.remove(workspaceId, id)).pipe(Effect.as({ id, deleted: true as const })))
      .handle("override_component", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          override(workspaceId, path.id, payload)))
      .handle("push_page_status", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          push(workspaceId, path.pageId, payload)))
  }))
