/** The operations on components. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { Components } from "../../store/component/Components.ts"
import { requirePage } from "../page/Pages.ts"

export const ComponentsLive = HttpApiBuilder.group(
  Api,
  "Components",
  (handlers) =>
    handlers.handle("create_component", ({ path, payload }) =>
      Effect.gen(function*() {
        const { workspaceId } = yield* Access
        const components = yield* Components
        const page = yield* requirePage(workspaceId, path.pageId)
        return yield* components.create(workspaceId, page.id, payload)
      }))
)
