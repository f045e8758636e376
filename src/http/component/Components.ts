/** Serves components. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ManageComponents } from "../../operations/component/ManageComponents.ts"
import { OverrideComponent } from "../../operations/component/OverrideComponent.ts"

export const ComponentsLive = HttpApiBuilder.group(Api, "Components", (handlers) =>
  Effect.gen(function*() {
    const components = yield* ManageComponents
    const { override } = yield* OverrideComponent
    return handlers
      .handle("create_component", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) => components.create(workspaceId, path.pageId, payload)))
      .handle("override_component", ({ path, payload }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          override(workspaceId, path.id, payload)))
  }))
