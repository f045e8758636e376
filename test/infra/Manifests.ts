/** The manifests that the Helm chart renders, as the tests read them. */
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"

const root = join(import.meta.dirname, "../..")

const optional = Schema.optional
const Texts = Schema.Record({ key: Schema.String, value: Schema.String })
const Labels = optional(Texts)
const MatchLabels = Schema.pluck(Schema.Struct({ matchLabels: Texts }), "matchLabels")
const Amounts = Schema.Struct({ cpu: optional(Schema.String), memory: Schema.String })

const Container = Schema.Struct({
  name: Schema.String,
  image: Schema.String,
  args: Schema.Array(Schema.String),
  env: Schema.Array(
    Schema.Union(
      Schema.Struct({ name: Schema.String, value: Schema.String }),
      Schema.Struct({
        name: Schema.String,
        valueFrom: Schema.Struct({ fieldRef: Schema.Struct({ fieldPath: Schema.Literal("status.podIP") }) })
      })
    )
  ),
  envFrom: optional(Schema.Array(Schema.Struct({ secretRef: Schema.Struct({ name: Schema.String }) }))),
  ports: optional(Schema.Array(Schema.Struct({ name: Schema.String, containerPort: Schema.Int }))),
  startupProbe: optional(Schema.Unknown),
  livenessProbe: optional(Schema.Unknown),
  readinessProbe: optional(Schema.Struct({ httpGet: Schema.Struct({ path: Schema.String, port: Schema.String }) })),
  lifecycle: optional(Schema.Unknown),
  resources: Schema.Struct({ requests: Amounts, limits: Amounts }),
  securityContext: Schema.Struct({
    allowPrivilegeEscalation: Schema.Boolean,
    readOnlyRootFilesystem: Schema.Boolean,
    capabilities: Schema.Struct({ drop: Schema.Array(Schema.String), add: optional(Schema.Array(Schema.String)) }),
    procMount: optional(Schema.String),
    privileged: optional(Schema.Boolean)
  }),
  volumeMounts: Schema.Array(Schema.Struct({ name: Schema.String, mountPath: Schema.String }))
})

const Pod = Schema.Struct({
  automountServiceAccountToken: Schema.Boolean,
  enableServiceLinks: Schema.Boolean,
  terminationGracePeriodSeconds: Schema.Int,
  hostUsers: optional(Schema.Boolean),
  hostNetwork: optional(Schema.Boolean),
  hostPID: optional(Schema.Boolean),
  hostIPC: optional(Schema.Boolean),
  securityContext: Schema.Struct({
    runAsNonRoot: Schema.Boolean,
    runAsUser: Schema.Int,
    seccompProfile: Schema.Struct({ type: Schema.String }),
    sysctls: optional(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })))
  }),
  initContainers: optional(Schema.Array(Schema.Unknown)),
  containers: Schema.Array(Container),
  volumes: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

/** Alerts, in groups. */
export const Groups = Schema.Array(Schema.Struct({ name: Schema.String }, { key: Schema.String, value: Schema.Unknown }))

const VolumeClaim = Schema.Struct({
  spec: Schema.Struct({ resources: Schema.Struct({ requests: Schema.Struct({ storage: Schema.String }) }) })
})

/** What all resources have, and what some of them have. */
const Resource = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  metadata: Schema.Struct({ name: Schema.String, labels: Labels, annotations: Labels }),
  spec: Schema.Struct({
    replicas: optional(Schema.Int),
    minReplicas: optional(Schema.Int),
    maxReplicas: optional(Schema.Int),
    volumeClaimTemplates: optional(Schema.Array(VolumeClaim)),
    /** Of workloads and others a selector of labels, of a Service the labels. */
    selector: optional(Schema.Union(MatchLabels, Texts)),
    podSelector: optional(MatchLabels),
    /** Of a PrometheusRule. */
    groups: optional(Groups),
    /** Of a NetworkPolicy. */
    egress: optional(Schema.Array(Schema.Struct({ ports: optional(Schema.Array(Schema.Struct({ port: Schema.Int }))) }))),
    ingress: optional(
      Schema.Array(Schema.Struct({
        from: optional(Schema.Array(Schema.Unknown)),
        ports: optional(Schema.Array(Schema.Struct({ port: Schema.Int })))
      }))
    ),
    /** Of a Service. */
    ports: optional(Schema.Array(Schema.Unknown)),
    podTargetLabels: optional(Schema.Array(Schema.String)),
    scaleTargetRef: optional(Schema.Struct({ name: Schema.String })),
    template: optional(Schema.Struct({ metadata: Schema.Struct({ labels: Texts }), spec: Pod }))
  })
})
type Resource = typeof Resource.Type

/** Kept renders (infra/manifests.mjs) by their names: four sizes, and two that use everything else. */
export const renders = ["1000", "10000", "100000", "1000000", "everything", "probes"] as const
export type Render = (typeof renders)[number]

const documentsOf = (path: string): ReadonlyArray<unknown> =>
  parseAllDocuments(readFileSync(join(root, path), "utf8")).map((document): unknown => document.toJSON())

export const pathOf = (render: Render): string => `test/infra/helm/${render}.yaml`

const decode = Schema.decodeUnknownSync(Resource)
export const resourcesOf = (path: string): ReadonlyArray<Resource> => documentsOf(path).map((document) => decode(document))

export interface Workload {
  readonly resource: Resource
  readonly labels: Readonly<Record<string, string>>
  readonly pod: typeof Pod.Type
  readonly container: typeof Container.Type
}

/** The resources that start pods, each with its only container. */
export const workloadsOf = (resources: ReadonlyArray<Resource>): ReadonlyArray<Workload> =>
  resources.flatMap((resource) => {
    const { template } = resource.spec
    const container = template?.spec.containers[0]
    return template === undefined || container === undefined
      ? []
      : [{ resource, labels: template.metadata.labels, pod: template.spec, container }]
  })
