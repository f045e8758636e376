/** Creates a service in one call: a monitor, the page that shows it, and the component that follows the monitor. */
import { Effect, Option } from "effect"
import type { Service, ServiceInput as ServiceSchema } from "../../../schema/api/Agents.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Monitor } from "../../../schema/monitor/Monitor.ts"
import { crontabLine } from "../../domain/monitor/snippets/JobSnippets.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { Pages } from "../../store/page/Pages.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { ManageComponents } from "../component/ManageComponents.ts"
import { requirePage } from "../NoSuch.ts"
import { ManagePages } from "../page/ManagePages.ts"
import { WarnOfDuplicates } from "../WarnOfDuplicates.ts"
import { ManageMonitors } from "./ManageMonitors.ts"

/** Truncates to the maximum length of a component's name without splitting a surrogate pair. */
const shortened = (name: string) => name.slice(0, 100).replace(/[\ud800-\udbff]$/, "")

const noChannel =
  "Nobody is alerted: the monitor has no alert channel. Create one with POST /api/v1/channels, then attach it with PATCH " +
  "/api/v1/monitors/{id} and channelIds"

const allDisabled =
  "Nobody is alerted: each alert channel of the monitor is disabled. Enable one with PATCH /api/v1/channels/{id}"

const noPage = "No component was created: componentName and group need statusPage"

/** A schedule that cron does not know has no such line. */
const lineOf = ({ periodSec, pingUrl, schedule, timezone }: Monitor): Pick<Service, "crontab"> => {
  const line = pingUrl === null ? null : crontabLine({ url: pingUrl, periodSec, schedule, timezone })
  return line === null ? {} : { crontab: line }
}

type ServiceInput = typeof ServiceSchema.Type

type PagePart = { readonly [Field in "componentName" | "group"]: string | undefined }

/** A name may begin like this, too, but no slug does; a mistyped id must not become a page of that name. */
const looksLikeId = /^pg_\S+$/

export class CreateService extends Effect.Service<CreateService>()("belltower/CreateService", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const stored = yield* Pages
    const duplicates = yield* WarnOfDuplicates
    const channels = yield* Channels
    const monitors = yield* ManageMonitors
    const pages = yield* ManagePages
    const components = yield* ManageComponents

    /** Finds a page by id, slug or name; creates it under that name if none matches. Fails with `not_found` for an unknown id. */
    const pageFor = Effect.fn("CreateService.pageFor")(function*(workspaceId: WorkspaceId, wanted: string) {
      if (looksLikeId.test(wanted)) return yield* requirePage(stored, workspaceId, wanted)
      const found = yield* Effect.flatMap(
        stored.find(workspaceId, wanted),
        Option.match({ onNone: () => stored.findByName(workspaceId, wanted), onSome: Effect.succeedSome })
      )
      return Option.isSome(found) ? found.value : yield* pages.create(workspaceId, { name: wanted })
    })

    const channelWarnings = Effect.fn("CreateService.warnings")(function*(workspaceId: WorkspaceId, { channelIds }: Monitor) {
      if (channelIds.length === 0) return [noChannel]
      const attached = (yield* channels.list(workspaceId)).filter(({ id }) => channelIds.includes(id))
      return attached.some(({ enabled }) => enabled) ? [] : [allDisabled]
    })

    /** The page with the component. Its other components are not repeated: a page can have hundreds. */
    const shownOn = Effect.fn("CreateService.shownOn")(
      function*(workspaceId: WorkspaceId, monitor: Monitor, statusPage: string, { componentName, group }: PagePart) {
        const { id } = yield* pageFor(workspaceId, statusPage)
        const component = yield* components.create(workspaceId, id, {
          name: componentName ?? shortened(maskUrls(monitor.name)),
          monitorIds: [monitor.id],
          ...(group === undefined ? {} : { group })
        })
        const { components: _, ...page } = yield* pages.record(workspaceId, id)
        return { page, component }
      }
    )

    const create = Effect.fn("CreateService.create")(
      function*(workspaceId: WorkspaceId, { componentName, group, statusPage, ...monitorInput }: ServiceInput) {
        const { warnings: ofMonitor = [], ...monitor } = yield* monitors.create(workspaceId, monitorInput)
        const wanted = statusPage?.trim() ?? ""
        const warnings = [
          ...ofMonitor,
          ...yield* channelWarnings(workspaceId, monitor),
          ...yield* duplicates.warnings("monitor", workspaceId, monitor.id),
          ...(wanted === "" && `${componentName ?? ""}${group ?? ""}` !== "" ? [noPage] : [])
        ]
        const shown = wanted === "" ? {} : yield* shownOn(workspaceId, monitor, wanted, { componentName, group })
        const created: Service = { monitor, ...lineOf(monitor), ...shown, ...(warnings.length === 0 ? {} : { warnings }) }
        return created
      },
      transaction
    )

    return { create }
  }),
  dependencies: [ManageMonitors.Default, ManagePages.Default, ManageComponents.Default, WarnOfDuplicates.Default]
}) {}
