{{- define "belltower.name" -}}
{{- if contains "belltower" .Release.Name }}{{ .Release.Name | trunc 30 | trimSuffix "-" }}
{{- else }}{{ printf "%s-belltower" .Release.Name | trunc 30 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* The labels that select pods: the component, and of a probe its region. Takes root, component, region. */}}
{{- define "belltower.selector" -}}
app.kubernetes.io/name: belltower
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .region }}
region: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "belltower.labels" -}}
{{ include "belltower.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "belltower.image" -}}
{{- $image := mergeOverwrite (deepCopy .root.Values.image) (.image | default dict) }}
{{- $tag := $image.tag | default .root.Chart.AppVersion }}
{{- printf "%s%s%s" $image.repository (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag }}
{{- end }}

{{/* The share of a memory limit (Mi or Gi) that Node's heap may take, MiB. Takes memory, percent. */}}
{{- define "belltower.heap" -}}
{{- $factor := ternary 1024 1 (hasSuffix "Gi" .memory) }}
{{- div (mul (regexFind "^[0-9]+" .memory | int) $factor .percent) 100 }}
{{- end }}

{{/* The settings of a component as YAML, those that come later win. Takes root, own (a dictionary), role, resources, heapPercent. */}}
{{- define "belltower.settings" -}}
{{- $base := dict "BELLTOWER_LOG_FORMAT" "json" }}
{{- with dig "limits" "memory" "" .resources }}
{{- $_ := set $base "NODE_OPTIONS" (printf "--max-old-space-size=%s" (include "belltower.heap" (dict "memory" . "percent" $.heapPercent))) }}
{{- end }}
{{- $isServer := ne .role "probe" }}
{{- if $isServer }}
{{- $_ := set $base "BELLTOWER_URL" .root.Values.url }}
{{- if and (has .role (list "all" "api")) (or .root.Values.ingress.enabled .root.Values.gateway.enabled) }}
{{- $_ := set $base "BELLTOWER_TRUST_PROXY" "private" }}
{{- end }}
{{- end }}
{{- $all := mergeOverwrite $base .root.Values.settings (ternary .root.Values.serverSettings (dict) $isServer) (.given | default dict) (.own | default dict) }}
{{- if and (ne .role "all") (not (get $all "KAFKA_BROKERS")) }}
{{- fail "settings.KAFKA_BROKERS is required: brokers, separated by commas. Only the mode \"single\" does without." }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{/* Adds the listener for mails of jobs. Takes root, given (settings) and ports of a container. */}}
{{- define "belltower.pingMail" -}}
{{- if .root.Values.pingMail.enabled }}
{{- $_ := set .given "BELLTOWER_PING_SMTP" "2525" }}
{{- $_ := set .ports "smtp" 2525 }}
{{- end }}
{{- end }}

{{- define "belltower.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Refuses values that contradict each other, with the way out. */}}
{{- define "belltower.checked" -}}
{{- if and (ne .Values.mode "single") (not .Values.secret) (ne .Values.mode "probes") }}
{{- fail "secret is required: the name of the Secret with BELLTOWER_SECRET and DATABASE_URL. Only the mode \"single\" does without." }}
{{- end }}
{{- if and (eq .Values.mode "split") (not (hasKey .Values.regions "main")) (not (get .Values.serverSettings "BELLTOWER_REGION")) (not (get .Values.settings "BELLTOWER_REGION")) }}
{{- fail "No region is named main: set serverSettings.BELLTOWER_REGION to the region of monitors that name none." }}
{{- end }}
{{- if and (eq .Values.mode "probes") (not .Values.regions) }}
{{- fail "regions is empty: name the regions whose probes this release runs." }}
{{- end }}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) }}
{{- fail "gateway.parentRefs is empty: name the Gateway." }}
{{- end }}
{{- if and .Values.externalSecrets.enabled (not .Values.externalSecrets.store.name) }}
{{- fail "externalSecrets.store.name is empty: name the store." }}
{{- end }}
{{- end }}
