{{- define "faregate.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "faregate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "faregate.labels" -}}
{{ include "faregate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "faregate.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "faregate.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "faregate.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* What a pod may do: nothing but run, write to /tmp and speak to the network. */ -}}
{{- define "faregate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
# It may read a Secret's files that others may not.
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "faregate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* Helm reads whole numbers as floats, and writes those from a million up with an exponent. */ -}}
{{- define "faregate.settingText" -}}
{{- if kindIs "float64" . }}{{ if eq (floor .) . }}{{ int64 . }}{{ else }}{{ . }}{{ end }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{- /* The Secret's own names, then what only some installations add. Of one name, the last counts. */ -}}
{{- define "faregate.envFrom" -}}
- secretRef:
    name: {{ .secretName }}
{{- with .values.extraEnvFrom }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "faregate.volumeMounts" -}}
{{- if or .Values.database.ca.secretName .Values.database.ca.configMapName }}
- name: database-ca
  mountPath: /etc/faregate/database-ca
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "faregate.volumes" -}}
{{- $ca := .Values.database.ca }}
{{- if $ca.secretName }}
- name: database-ca
  secret:
    secretName: {{ $ca.secretName }}
    items:
      - key: {{ $ca.key }}
        path: ca.crt
{{- else if $ca.configMapName }}
- name: database-ca
  configMap:
    name: {{ $ca.configMapName }}
    items:
      - key: {{ $ca.key }}
        path: ca.crt
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
