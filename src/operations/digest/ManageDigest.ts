/** Reads and changes the settings of the weekly digest, and previews it. */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { DigestPreview, DigestPreviewInput, DigestSettings, DigestSettingsUpdate } from "../../../schema/digest/Digest.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { digestWeek, type Period } from "../../domain/digest/DigestWeek.ts"
import { Links } from "../../links/Links.ts"
import { digestMail } from "../../notify/mail/DigestMail.ts"
import { AiTexts } from "../../services/ai/AiTexts.ts"
import { DigestBuilder } from "../../services/digest/DigestBuilder.ts"
import { Digests } from "../../store/digest/Digests.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireWorkspace } from "../workspace/RequireWorkspace.ts"

const onlyMembers = new Forbidden({
  message: "Only a signed-in member subscribes to the digest",
  hint: "Sign in and change it there; an API key has no mailbox"
})

const onlyAdmins = new Forbidden({
  message: "Only owners and admins change the time zone of the workspace",
  hint: "Ask an owner or an admin"
})

const periodOf = (wanted: DigestPreviewInput["period"], timezone: string, now: DateTime.Utc): Period =>
  wanted === "last_7_days" ? { from: DateTime.subtract(now, { days: 7 }), to: now } : digestWeek(now, timezone).period

export class ManageDigest extends Effect.Service<ManageDigest>()("belltower/ManageDigest", {
  effect: Effect.gen(function*() {
    const digests = yield* Digests
    const workspaces = yield* Workspaces
    const builder = yield* DigestBuilder
    const texts = yield* AiTexts
    const links = yield* Links
    const required = requireWorkspace(workspaces)

    const subscribed = ({ principal, workspaceId }: Caller) =>
      principal._tag === "Key"
        ? Effect.succeed(null)
        : Effect.map(
          digests.subscribed(workspaceId, principal.userId),
          (found) => Option.getOrNull(Option.map(found, (row) => row.subscribed))
        )

    const settings = Effect.fn("ManageDigest.settings")(function*(caller: Caller) {
      const { workspaceId } = caller
      const { timezone } = yield* required(workspaceId)
      return {
        timezone,
        subscribed: yield* subscribed(caller),
        recipients: yield* digests.recipients(workspaceId),
        nextSendAt: digestWeek(yield* DateTime.now, timezone).nextAt,
        lastRuns: yield* digests.runs(workspaceId)
      } satisfies DigestSettings
    })

    /** Fails with `forbidden` for a key that subscribes, and for a time zone without the role to change it. */
    const update = Effect.fn("ManageDigest.update")(function*(caller: Caller, input: DigestSettingsUpdate) {
      const { principal, role, workspaceId } = caller
      if (input.timezone !== undefined && role !== "owner" && role !== "admin") return yield* onlyAdmins
      if (input.subscribed !== undefined) {
        if (principal._tag === "Key") return yield* onlyMembers
        yield* digests.subscribe(workspaceId, principal.userId, input.subscribed)
      }
      if (input.timezone !== undefined) yield* workspaces.update(workspaceId, { timezone: input.timezone })
      return yield* settings(caller)
    })

    /** Where AI gives no text, for whatever reason, the digest is the one by rules, also for a caller that asks for AI. */
    const preview = Effect.fn("ManageDigest.preview")(function*(workspaceId: WorkspaceId, input: DigestPreviewInput) {
      const { name, timezone } = yield* required(workspaceId)
      const byRules = yield* builder.build(
        { id: workspaceId, name, timezone },
        periodOf(input.period, timezone, yield* DateTime.now)
      )
      const digest = input.ai ?? false ? { ...byRules, ai: yield* texts.digest(byRules, "caller") } : byRules
      const record: DigestPreview = input.format === "html"
        ? { ...digest, html: digestMail(digest, links.app("digest")).html }
        : digest
      return record
    })

    return { settings, update, preview }
  }),
  dependencies: [DigestBuilder.Default, AiTexts.Default]
}) {}
