/** One component of a status page: what visitors see, its source, its push address, an override, and its end. */
import { Effect } from "effect"
import type { Component } from "../../../../schema/component/Component.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Buttons, CallButton, CallForm, Check, Field, Select } from "../../design/Form.tsx"
import { Facts, Head, Panel, TargetText } from "../../design/Parts.tsx"
import { CopyText } from "../../design/Secret.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { notHere } from "../../frame/NotHere.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { currentSource, ShownFields, SourceFields, sourceNamed, SourceTabs } from "./ComponentFields.tsx"
import { sourceOf, StatusBadge } from "./ComponentsView.tsx"

const pathOf = ({ id, pageId }: Component) => `/app/pages/${pageId}/components/${id}` as const

const Settings = ({ component, page }: { readonly component: Component; readonly page: Page }) => {
  const { query } = useVisit()
  const asked = query.get("source")
  const source = asked === null ? currentSource(component) : sourceNamed(asked)
  return (
    <Panel id="settings" title="Settings">
      <p class="note">Source of the status</p>
      <SourceTabs here={source} path={pathOf(component)} />
      <CallForm
        call="update_component"
        id="edit-component"
        fixed={{ id: component.id }}
        then={pathOf(component)}
        said="Component saved"
      >
        <ShownFields page={page} component={component} />
        <SourceFields source={source} component={component} />
        <Field name="key" label="Key" required value={component.key} hint="For programs" attributes={{ maxlength: 63 }} />
        <Field
          name="order"
          type="number"
          label="Position"
          value={component.order}
          hint="0 is first"
          attributes={{ min: 0, max: 10_000 }}
        />
        <Check name="showUptime" label="Show its uptime" checked={component.showUptime} />
        <Check name="showResponseTimes" label="Show its response times" checked={component.showResponseTimes} />
        <Check name="hidden" label="Hidden from the page" checked={component.hidden} />
        <Buttons>
          <button>Save</button>
        </Buttons>
      </CallForm>
    </Panel>
  )
}

const Override = ({ component }: { readonly component: Component }) => (
  <Panel id="override" title="Override">
    {component.override === null
      ? (
        <p class="note">
          Fixes the shown status whatever the source says. For an outage, open an incident: it also tells subscribers.
        </p>
      )
      : (
        <>
          <p>
            Fixed at <StatusBadge status={component.override.status} />
            {component.override.reason === null ? null : <>: {component.override.reason}</>}
          </p>
          <CallButton
            call="override_component"
            id="override-off"
            fixed={{ id: component.id, "status:text?": "" }}
            then={pathOf(component)}
            said="Override ended"
          >
            End the override
          </CallButton>
        </>
      )}
    <CallForm
      call="override_component"
      id="override-on"
      fixed={{ id: component.id }}
      then={pathOf(component)}
      said="Status fixed"
    >
      <Select
        name="status"
        label="Status to show"
        value={component.override?.status ?? "operational"}
        options={[
          ["operational", "Operational"],
          ["degraded", "Degraded"],
          ["partial_outage", "Partial outage"],
          ["major_outage", "Major outage"],
          ["maintenance", "Maintenance"]
        ]}
      />
      <Field name="reason" label="Reason" hint="For your team; the page does not show it" attributes={{ maxlength: 300 }} />
      <Buttons>
        <button class="plain">Fix the status</button>
      </Buttons>
    </CallForm>
  </Panel>
)

const PushAddress = ({ url }: { readonly url: string }) => (
  <Panel id="push" title="Push address">
    <p class="note">Anyone who knows it can set the status. Keep it like a password.</p>
    <CopyText id="push-url" value={url} />
    <pre
      tabindex={0}
    >{`curl -X POST '${url}' -H 'content-type: application/json' -d '{"status":"degraded","message":"Slow searches"}'`}</pre>
  </Panel>
)

const Whole = ({ component, page }: { readonly component: Component; readonly page: Page }) => (
  <>
    <Head
      title={component.name}
      crumbs={[
        ["/app/pages", "Status pages"],
        [`/app/pages/${page.id}`, page.name],
        [`/app/pages/${page.id}/components`, "Components"]
      ]}
    >
      <StatusBadge status={component.status} />
    </Head>
    <div class="split">
      <Settings component={component} page={page} />
      <div class="stack">
        <Panel id="now" title="Now">
          <Facts
            of={[["Status", <StatusBadge status={component.status} />], ["Source", sourceOf(component)], ["Key", component.key]]}
          />
          {component.statusMessage === null ? null : <TargetText label="Message">{component.statusMessage}</TargetText>}
        </Panel>
        {component.pushUrl === null ? null : <PushAddress url={component.pushUrl} />}
        <Override component={component} />
        <Confirm
          call="delete_component"
          id="delete-component"
          fixed={{ id: component.id }}
          label="Delete this component"
          does={`Delete ${component.name}`}
          then={`/app/pages/${page.id}/components`}
          said="Component deleted"
          lost={
            <>
              <p>
                The page loses {component.name}{" "}
                with its history. Subscribers of only this component hear of nothing. This cannot be undone.
              </p>
            </>
          }
        />
      </div>
    </div>
  </>
)

export const componentView = view(
  "/app/pages/:id/components/:componentId",
  "pages",
  Effect.gen(function*() {
    const { params } = yield* Visit
    const page = yield* read("get_page", { pageId: params["id"] ?? "" })
    const component = page.components.find(({ id }) => id === params["componentId"])
    if (component === undefined) return yield* notHere("component")
    return {
      title: component.name,
      live: ["component.status_changed"],
      body: <Whole component={component} page={page} />
    }
  })
)
