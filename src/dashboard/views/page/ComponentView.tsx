/** One component of a status page: what visitors see, its source, its push address, an override, and its end. */
import type { Component } from "../../../../schema/component/Component.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { Delete } from "../../design/Confirm.tsx"
import { CopyText } from "../../design/CopyText.tsx"
import { CallButton, CallForm, Check, Field, Select, Submit } from "../../design/Form.tsx"
import { Facts, Panel, TargetText } from "../../design/Parts.tsx"
import { listed, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"
import { currentSource, ShownFields, SourceFields, sourceNamed, SourceTabs } from "./ComponentFields.tsx"
import { sourceOf, StatusBadge } from "./ComponentsView.tsx"
import { readPage } from "./PageHead.tsx"

const pathOf = ({ id, pageId }: Component) => `/app/pages/${pageId}/components/${id}` as const

const Settings = ({ component, page }: { readonly component: Component; readonly page: Page }) => {
  const { query } = useVisit()
  const asked = query.get("source")
  const source = asked === null ? currentSource(component) : sourceNamed(asked)
  return (
    <Panel id="settings" title="Settings">
      <p class="note">Source of the status</p>
      <SourceTabs here={source} path={pathOf(component)} />
      <CallForm call="update_component" id="edit-component" fixed={{ id: component.id }} of={component} said="Component saved">
        <ShownFields page={page} component={component} />
        <SourceFields source={source} component={component} />
        <Field
          name="key"
          label="Key"
          required
          value={component.key}
          hint="Identifies the component in API calls and files"
          attributes={{ maxlength: 63 }}
        />
        <Field
          name="order"
          type="number"
          label="Position"
          value={component.order}
          hint="0 comes first"
          attributes={{ min: 0, max: 10_000 }}
        />
        <Check name="showUptime" label="Show its uptime" checked={component.showUptime} />
        <Check name="showResponseTimes" label="Show its response times" checked={component.showResponseTimes} />
        <Check name="hidden" label="Hidden from the page" checked={component.hidden} />
        <Submit>Save</Submit>
      </CallForm>
    </Panel>
  )
}

const Override = ({ component }: { readonly component: Component }) => (
  <Panel id="override" title="Override">
    {component.override === null
      ? (
        <p class="note">
          Shows this status whatever the source reports. For an outage, open an incident instead: it also notifies subscribers.
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
            said="Override ended"
          >
            End the override
          </CallButton>
        </>
      )}
    <CallForm call="override_component" id="override-on" fixed={{ id: component.id }} said="Status fixed">
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
      <Field name="reason" label="Reason" hint="Only your team sees it" attributes={{ maxlength: 300 }} />
      <Submit look="plain">Fix the status</Submit>
    </CallForm>
  </Panel>
)

const PushAddress = ({ url }: { readonly url: string }) => (
  <Panel id="push" title="Push address">
    <p class="note">Anyone who knows it can set the status. Treat it like a password.</p>
    <CopyText id="push-url" value={url} />
    <pre
      tabindex={0}
    >{`curl -X POST '${url}' -H 'content-type: application/json' -d '{"status":"degraded","message":"Slow searches"}'`}</pre>
  </Panel>
)

const DeleteComponent = ({ component: { id, name, pageId } }: { readonly component: Component }) => (
  <Delete
    call="delete_component"
    fixed={{ id }}
    noun="component"
    name={name}
    then={`/app/pages/${pageId}/components`}
    lost={`The page loses ${
      isolated(name)
    } with its history. Subscribers of only this component hear of nothing. This cannot be undone.`}
  />
)

export const componentView = view("/app/pages/:id/components/:componentId", "pages", function*({ params }) {
  const page = yield* readPage
  const component = yield* listed("component", page.components, params["componentId"])
  const { key, name, pushUrl, status, statusMessage } = component
  return {
    title: name,
    live: ["component.status_changed"],
    head: {
      crumbs: [
        ["/app/pages", "Status pages"],
        [`/app/pages/${page.id}`, page.name],
        [`/app/pages/${page.id}/components`, "Components"]
      ],
      actions: <StatusBadge status={status} />
    },
    split: [
      <Settings component={component} page={page} />,
      [
        <Panel id="now" title="Now">
          <Facts of={[["Status", <StatusBadge status={status} />], ["Source", sourceOf(component)], ["Key", key]]} />
          {statusMessage === null ? null : <TargetText label="Message">{statusMessage}</TargetText>}
        </Panel>,
        pushUrl === null ? null : <PushAddress url={pushUrl} />,
        <Override component={component} />,
        <DeleteComponent component={component} />
      ]
    ]
  }
})
