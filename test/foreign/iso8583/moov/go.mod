module faregate.test/moov

go 1.23.0

require github.com/moov-io/iso8583 v0.23.3

require (
	github.com/yerden/go-util v1.1.4 // indirect
	golang.org/x/text v0.23.0 // indirect
)
