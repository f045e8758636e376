/** Status pages and their components. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Component, ComponentInput, ComponentUpdate, OverrideInput } from "../component/Component.ts"
import { PagePushInput, PushReceipt } from "../component/Push.ts"
import { wire } from "../Errors.ts"
import { FlagText, list, optional, orNull, wholeText } from "../Fields.ts"
import { ComponentId, IdPrefixes, MonitorId, PageId, SubscriberId } from "../Ids.ts"
import { DomainCheck, GroupsInput, ListedPage, Page, PageInput, PageUpdate } from "../page/Page.ts"
import { PublicPage } from "../page/PublicPage.ts"
import { Subscriber, SubscriberStatus } from "../subscriber/Subscriber.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { created, deleted, paged } from "./parts/Answers.ts"
import { counted } from "./parts/Counted.ts"
import { Hinted, ReachesOut } from "./parts/Hints.ts"

const pageId = HttpApiSchema.param(
  "pageId",
  Schema.String.annotations({ description: "Page id or slug", examples: ["acme"], [IdPrefixes]: ["pg"] })
)

/** As many as a view of the dashboard changes together. */
const monitorIds = Schema.split(",").pipe(Schema.compose(list(MonitorId, 200)), Schema.annotations({ [IdPrefixes]: ["mon"] }))

const componentId = HttpApiSchema.param("id", ComponentId)

export class Pages extends HttpApiGroup.make("Status pages")
  .annotate(OpenApi.Description, "Status pages with their URL, theme and settings.")
  .add(
    HttpApiEndpoint.get("list_pages", "/pages")
      .setUrlParams(Schema.Struct({
        after: optional(PageId, "next of the page before"),
        limit: optional(wholeText(1, 500), "Maximum number of pages; default 100"),
        monitorIds: optional(monitorIds, "Only what these monitors feed; ids, comma-separated", [
          MonitorId.make("mon_01k9x2m4q8e7s9v3bthn5wza6c")
        ]),
        components: optional(FlagText, "Default true"),
        counts: optional(FlagText, "Count each page's components by status")
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(ListedPage),
        next: orNull(PageId, "Pass as after to get the pages that follow; null at the end")
      }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List status pages")
      .annotate(
        OpenApi.Description,
        "Oldest first. A list of large pages can hold fewer than limit: follow next until it is null."
      )
  )
  .add(
    HttpApiEndpoint.post("create_page", "/pages")
      .setPayload(PageInput)
      .addSuccess(created(Page, "CreatedPage"), { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.conflict, wire.planLimit))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Create a status page")
  )
  .add(
    HttpApiEndpoint.get("get_page")`/pages/${pageId}`
      .addSuccess(Page)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a status page")
      .annotate(OpenApi.Description, "Includes its components.")
  )
  .add(
    HttpApiEndpoint.patch("update_page")`/pages/${pageId}`
      .setPayload(PageUpdate)
      .addSuccess(Page)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.conflict, wire.planLimit))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Update a status page")
      .annotate(
        OpenApi.Description,
        "Objects such as theme are merged field by field. A changed customDomain must be verified again."
      )
  )
  .add(
    HttpApiEndpoint.del("delete_page")`/pages/${pageId}`
      .setUrlParams(Schema.Struct(counted))
      .addSuccess(deleted(PageId))
      .addError(Schema.Union(wire.notFound, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete a status page")
      .annotate(OpenApi.Description, "Deletes its components and subscribers too. Incidents remain in the workspace.")
  )
  .add(
    HttpApiEndpoint.post("verify_domain")`/pages/${pageId}/domain/verify`
      .addSuccess(DomainCheck)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.conflict))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Verify the custom domain of a page")
      .annotate(
        OpenApi.Description,
        "Verified by a CNAME record to dns.value, the same addresses, or the TXT record of dns, which a domain that was verified " +
          "before, or is reserved, needs. The page is served there then. Checked daily; lost after three failures."
      )
  )
  .add(
    HttpApiEndpoint.get("preview_page")`/pages/${pageId}/preview`
      .addSuccess(PublicPage)
      .addError(Schema.Union(wire.notFound, wire.unavailable))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Preview a status page")
      .annotate(OpenApi.Description, "As visitors see it, also if it is private.")
  )
  .add(
    HttpApiEndpoint.put("set_component_groups")`/pages/${pageId}/groups`
      .setPayload(GroupsInput)
      .addSuccess(Page)
      .addError(Schema.Union(wire.notFound, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(Hinted, { destroys: true })
      .annotate(OpenApi.Summary, "Set the groups and the order of a page's components")
  )
  .add(
    HttpApiEndpoint.get("list_subscribers")`/pages/${pageId}/subscribers`
      .setUrlParams(Schema.Struct({
        status: optional(SubscriberStatus, "Only subscribers with this status"),
        before: optional(SubscriberId, "next of the page before"),
        limit: optional(wholeText(1, 1000), "Maximum number of subscribers; default 100")
      }))
      .addSuccess(paged(Subscriber, SubscriberId))
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List the subscribers of a status page")
      .annotate(
        OpenApi.Description,
        "Newest first. Those that ended are listed for 30 days."
      )
  )
  .add(
    HttpApiEndpoint.del("delete_subscriber")`/subscribers/${HttpApiSchema.param("id", SubscriberId)}`
      .addSuccess(deleted(SubscriberId))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete a subscriber")
      .annotate(OpenApi.Description, "Also deletes its open deliveries.")
  )
{}

export class Components extends HttpApiGroup.make("Components")
  .annotate(OpenApi.Description, "The components of a status page, and the source of each component's status.")
  .add(
    HttpApiEndpoint.post("create_component")`/pages/${pageId}/components`
      .setPayload(ComponentInput)
      .addSuccess(created(Component, "CreatedComponent"), { status: 201 })
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.conflict))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Create a component")
  )
  .add(
    HttpApiEndpoint.patch("update_component")`/components/${componentId}`
      .setPayload(ComponentUpdate)
      .addSuccess(Component)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.conflict))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Update a component")
      .annotate(
        OpenApi.Description,
        "A status source (monitorIds, push, manifest, manual) replaces the one before."
      )
  )
  .add(
    HttpApiEndpoint.del("delete_component")`/components/${componentId}`
      .addSuccess(deleted(ComponentId))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete a component")
  )
  .add(
    HttpApiEndpoint.post("override_component")`/components/${componentId}/override`
      .setPayload(OverrideInput)
      .addSuccess(Component)
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Override the status of a component")
      .annotate(
        OpenApi.Description,
        "The component shows the given status until status is null. For an outage, open an incident instead: it also notifies " +
          "subscribers."
      )
  )
  .add(
    HttpApiEndpoint.post("push_page_status")`/pages/${pageId}/status`
      .setPayload(PagePushInput)
      .addSuccess(Schema.Struct({ ok: Schema.Literal(true), components: Schema.Array(PushReceipt) }))
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Push the statuses of several components")
      .annotate(
        OpenApi.Description,
        "For components with push=true. If one key is invalid, nothing is accepted. With autoIncidents on, failing components " +
          "open or join an automatic incident, and recovery resolves it."
      )
  )
{}
