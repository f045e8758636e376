{{/*
The spec of a pod. Takes root, component, region, role, secret, settings (YAML), address (whether it needs its own), health (whether it has
the three probes), startSec, graceSec, resources, image, isolation, ping, restart, pod, container, data (whether /data is a volume of its own).
*/}}
{{- define "belltower.pod" -}}
{{- $spec := include "belltower.podSpec" . | fromYaml }}
{{- $container := dict "base" (first $spec.containers) "over" .container "lists" (list "env" "envFrom" "volumeMounts") }}
{{- $_ := set $spec "containers" (list (include "belltower.laidOver" $container | fromYaml)) }}
{{- include "belltower.laidOver" (dict "base" $spec "over" .pod "lists" (list "containers" "volumes")) }}
{{- end }}

{{/* Takes base, over (none is empty), and the lists that are appended instead of replaced. */}}
{{- define "belltower.laidOver" -}}
{{- $base := .base }}
{{- $over := deepCopy (.over | default dict) }}
{{- range .lists }}
{{- if hasKey $over . }}
{{- $_ := set $over . (concat (get $base . | default list) (get $over .)) }}
{{- end }}
{{- end }}
{{- toYaml (mergeOverwrite $base $over) }}
{{- end }}

{{- define "belltower.podSpec" -}}
{{- $root := .root }}
automountServiceAccountToken: false
{{- /* Kubernetes would set variables such as BELLTOWER_API_PORT, which are no settings. */}}
enableServiceLinks: false
{{- with $root.Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
restartPolicy: {{ .restart | default "Always" }}
terminationGracePeriodSeconds: {{ .graceSec }}
{{- if .isolation }}
hostUsers: false
{{- end }}
{{- if .ping }}
{{- /* Helpers that outlive their parents are collected by the pod's first process. */}}
shareProcessNamespace: true
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: {{ ternary "Unconfined" "RuntimeDefault" (.isolation | default false) }} }
  {{- if .isolation }}
  appArmorProfile: { type: Unconfined }
  {{- end }}
  {{- if .ping }}
  sysctls:
    - { name: net.ipv4.ping_group_range, value: "0 65535" }
  {{- end }}
{{- if .health }}
topologySpreadConstraints:
  {{- range $key, $policy := dict "topology.kubernetes.io/zone" $root.Values.topologySpread.zone "kubernetes.io/hostname" $root.Values.topologySpread.node }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $policy }}
    labelSelector:
      matchLabels:
        {{- include "belltower.selector" $ | nindent 8 }}
    {{- if ne $.role "all" }}
    # Pods of the version before leave soon.
    matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
{{- end }}
containers:
  - {{- include "belltower.containerSpec" . | nindent 4 }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
  {{- if not .data }}
  - name: data
    emptyDir: { sizeLimit: 64Mi }
  {{- end }}
  {{- with $root.Values.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "belltower.containerSpec" -}}
{{- $root := .root }}
name: belltower
image: {{ include "belltower.image" . }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
args: [{{ .role }}]
env:
  {{- if .address }}
  - name: BELLTOWER_RUNNER_HOST
    valueFrom: { fieldRef: { fieldPath: status.podIP } }
  {{- end }}
  {{- include "belltower.env" (.settings | fromYaml) | nindent 2 }}
{{- with .secret }}
envFrom:
  - secretRef: { name: {{ . }} }
{{- end }}
{{- if .health }}
ports:
  {{- range $name, $port := .ports }}
  - { name: {{ $name }}, containerPort: {{ $port }} }
  {{- end }}
startupProbe:
  httpGet: { path: /healthz, port: {{ .health }} }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: {{ div .startSec 2 }}
livenessProbe:
  httpGet: { path: /healthz, port: {{ .health }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: {{ .health }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}
resources:
  {{- toYaml .resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
  {{- if .isolation }}
  procMount: Unmasked
  {{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /data }
  {{- with $root.Values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
