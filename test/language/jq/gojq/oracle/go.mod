module oracle

go 1.26.8

require (
	github.com/itchyny/astgen-go v0.0.0-20210113000433-0da0671862a3 // indirect
	github.com/itchyny/gojq v0.12.1 // indirect
	github.com/itchyny/timefmt-go v0.1.1 // indirect
)
