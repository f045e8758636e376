/** Serves components. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageComponents } from "../../operations/component/ManageComponents.ts"
import { TakePush } from "../../operations/component/TakePush.ts"
import { WarnOfDuplicates } from "../../operations/WarnOfDuplicates.ts"
import { deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const ComponentsLive = operationGroup(Api, "Components", (handlers) =>
  Effect.gen(function*() {
    const warn = yield* WarnOfDuplicates
    const components = yield* ManageComponents
    const { push } = yield* TakePush
    return handlers
      .handle("create_component", ({ path, payload }) =>
        inWorkspace((id) => warn.after("component", id, components.create(id, path.pageId, payload))))
      .handle("update_component", ({ path, payload }) =>
        inWorkspace((id) => components.update(id, path.id, payload)))
      .handle("delete_component", ({ path }) => deleted(path.id, inWorkspace((id) => components.remove(id, path.id))))
      .handle("override_component", ({ path, payload }) => inWorkspace((id) => components.override(id, path.id, payload)))
      .handle("push_page_status", ({ path, payload }) => inWorkspace((id) => push(id, path.pageId, payload)))
  }))
