{{- define "worktrack.selector" -}}
app.kubernetes.io/name: worktrack
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "worktrack.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "worktrack.serviceAccount" -}}
{{- if .root.Values.serviceAccounts.create }}{{ .root.Release.Name }}-{{ .name }}{{ else }}default{{ end }}
{{- end }}

{{- /* Whether something else decides on the number of replicas. */ -}}
{{- define "worktrack.isScaled" -}}
{{- if or (and .service.scaling .root.Values.keda.enabled) (and .service.autoscaling .root.Values.autoscaling.enabled) }}true{{ end }}
{{- end }}

{{- define "worktrack.labels" -}}
{{ include "worktrack.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}
