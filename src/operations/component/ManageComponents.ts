/** Creates components on status pages. */
import { Effect, Either } from "effect"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import { ComponentId, type WorkspaceId } from "../../../schema/Ids.ts"
import { settleComponent } from "../../domain/component/ComponentSettings.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Components } from "../../store/component/Components.ts"
import { mint } from "../../store/Mint.ts"
import { Pages } from "../../store/page/Pages.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { orNoSuch } from "../NoSuch.ts"
import { requirePage } from "../page/RequirePage.ts"
import { makeTransaction } from "../Transaction.ts"
import { claimKey, groupFor, requireManifest, requireMonitors } from "./ComponentPlace.ts"
import { ComponentRecords } from "./ComponentRecords.ts"

export class ManageComponents extends Effect.Service<ManageComponents>()("belltower/ManageComponents", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const pages = yield* Pages
    const components = yield* Components
    const quotas = yield* Quotas
    const records = yield* ComponentRecords

    /** Fails with `not_found` for the page, `conflict` for a taken key, and `validation_failed` for an invalid source. */
    const create = Effect.fn("ManageComponents.create")(
      function*(workspaceId: WorkspaceId, pageIdOrSlug: string, input: ComponentInput) {
        const { id: pageId } = yield* requirePage(pages, workspaceId, pageIdOrSlug)
        const settings = yield* Either.mapLeft(settleComponent(input), validationFailure)
        yield* quotas.takeCapped(workspaceId, { components: 1 }, pageId)
        const { slug } = yield* orNoSuch("status page", pageIdOrSlug, components.lockPage(workspaceId, pageId))
        yield* requireMonitors(components, workspaceId, settings.monitorIds)
        yield* requireManifest(components, workspaceId, settings.manifest)
        const key = yield* claimKey(components, workspaceId, pageId, input)
        const group = input.group?.trim() ?? ""
        const place = {
          workspaceId,
          pageId,
          key,
          group: group === "" ? null : yield* groupFor(components, quotas, workspaceId, pageId, group),
          order: input.order ?? null
        }
        const stored = yield* components.insert(yield* mint("cmp", ComponentId), input.name, settings, place)
        yield* pages.changed(slug)
        return yield* records.of(stored)
      },
      transaction
    )

    return { create }
  }),
  dependencies: [ComponentRecords.Default]
}) {}
