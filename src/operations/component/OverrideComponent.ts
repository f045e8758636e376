/** Fixes the status that a component shows, or lets its sources decide again. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { OverrideInput } from "../../../schema/component/Component.ts"
import type { ComponentId, WorkspaceId } from "../../../schema/Ids.ts"
import { ComponentOverrides } from "../../store/component/ComponentOverrides.ts"
import { ComponentWakeups } from "../../store/component/ComponentWakeups.ts"
import { Pages } from "../../store/page/Pages.ts"
import { ComponentRecords } from "./ComponentRecords.ts"
import { noComponent } from "./NoComponent.ts"

export class OverrideComponent extends Effect.Service<OverrideComponent>()("belltower/OverrideComponent", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const overrides = yield* ComponentOverrides
    const wakeups = yield* ComponentWakeups
    const pages = yield* Pages
    const records = yield* ComponentRecords

    /** Its actor announces the change. Fails with `not_found`. */
    const override = Effect.fn("OverrideComponent.override")(
      function*(workspaceId: WorkspaceId, id: ComponentId, input: OverrideInput) {
        yield* wakeups.wake(workspaceId, [id])
        const found = yield* overrides.set(workspaceId, id, input)
        if (Option.isNone(found)) return yield* noComponent(id)
        yield* pages.changed(found.value.slug)
        return yield* records.of(found.value.component)
      },
      sql.withTransaction,
      Effect.catchTag("SqlError", Effect.die)
    )

    return { override }
  }),
  dependencies: [ComponentRecords.Default, ComponentOverrides.Default, ComponentWakeups.Default]
}) {}
